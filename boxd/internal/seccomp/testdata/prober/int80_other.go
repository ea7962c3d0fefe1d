//go:build !amd64

package main

func int80(uint32) uint32 { return 0 }
