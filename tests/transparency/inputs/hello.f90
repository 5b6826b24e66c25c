! SPDX-License-Identifier: MIT
program hello
  implicit none
  real(8), allocatable :: a(:, :), b(:, :)
  integer :: i, j
  allocate(a(50, 50))
  do i = 1, 50
    do j = 1, 50
      a(i, j) = real(i, 8) / j
    end do
  end do
  b = matmul(a, transpose(a))
  print '(f16.4)', sum(b)
end program hello
