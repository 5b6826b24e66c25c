// SPDX-License-Identifier: MIT
// Goroutines that call C, C that calls back, threads that Go does not know, and signals.
package main

/*
#cgo LDFLAGS: -lpthread
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

extern void called(int);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long count;

static void add(int times)
{
	for (int i = 0; i < times; i++) {
		pthread_mutex_lock(&mutex);
		count++;
		pthread_mutex_unlock(&mutex);
	}
	usleep(100);
}

static void *call(void *block)
{
	free(block);
	called(1);
	return NULL;
}

static void in_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, call, malloc(100));
	pthread_join(thread, NULL);
}

static long counted(void)
{
	return count;
}
*/
import "C"

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
)

var calls int64

//export called
func called(times C.int) {
	atomic.AddInt64(&calls, int64(times))
}

func main() {
	var group sync.WaitGroup
	for i := 0; i < 32; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for j := 0; j < 20; j++ {
				C.add(100)
				C.in_thread()
			}
			runtime.GC()
		}()
	}
	group.Wait()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1)
	syscall.Kill(os.Getpid(), syscall.SIGUSR1)
	<-signals
	func() {
		defer func() { fmt.Println(recover() != nil) }()
		var nowhere *int
		*nowhere = 1
	}()
	fmt.Println(int64(C.counted()), atomic.LoadInt64(&calls))
	os.Exit(6)
}
