! SPDX-License-Identifier: MIT
module m
contains
  integer function sq(n)
    integer, intent(in) :: n
    sq = n * n
  end function sq
end module m

subroutine outside(n)
  integer, intent(inout) :: n
  n = n + 1
end subroutine outside

program squares
  use m
  integer :: n
  n = sq(3)
  call outside(n)
  print *, n
end program squares
