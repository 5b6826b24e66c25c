;; SPDX-License-Identifier: MIT
(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
(display (fib 20))
(newline)
(display (call-with-current-continuation (lambda (return) (for-each return '(1 2)) 3)))
(newline)
(display (length (vector->list (make-vector 100000 1))))
(newline)
