;;; SPDX-License-Identifier: MIT
(defun fib (n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
(format t "~a~%" (fib 20))
(let ((table (make-hash-table)))
  (dotimes (i 50000) (setf (gethash i table) (format nil "~a" i)))
  (format t "~a~%" (hash-table-count table)))
(format t "~a~%" (expt 3 500))
