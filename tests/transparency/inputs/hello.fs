\ SPDX-License-Identifier: MIT
: square dup * ;
: squares 20 0 do i square . loop cr ;
squares bye
