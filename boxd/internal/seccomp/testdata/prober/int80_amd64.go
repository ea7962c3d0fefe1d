package main

// int80 makes an i386 call without arguments.
func int80(number uint32) uint32
