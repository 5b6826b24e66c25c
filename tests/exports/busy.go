// SPDX-License-Identifier: MIT

// A program of Go that writes its own profiles: CPU and heap.
package main

import (
	"os"
	"runtime"
	"runtime/pprof"
)

type list struct {
	kept [][]byte
	sum  uint64
}

//go:noinline
func (l *list) churn(rounds uint64) {
	for i := uint64(0); i < rounds; i++ {
		l.sum = l.sum*31 + i
	}
}

//go:noinline
func (l *list) keep(size int) {
	l.kept = append(l.kept, make([]byte, size))
}

func main() {
	runtime.MemProfileRate = 1
	cpu, _ := os.Create(os.Args[1])
	heap, _ := os.Create(os.Args[2])
	var l list
	pprof.StartCPUProfile(cpu)
	for i := 0; i < 300; i++ {
		l.churn(2000000)
		l.keep(20000)
	}
	pprof.StopCPUProfile()
	runtime.GC()
	pprof.WriteHeapProfile(heap)
	println(l.sum, len(l.kept))
}
