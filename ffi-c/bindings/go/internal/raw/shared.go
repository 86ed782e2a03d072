//go:build !modelwire_static

package raw

// #cgo pkg-config: modelwire
import "C"
