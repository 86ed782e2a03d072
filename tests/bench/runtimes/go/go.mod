module bench

go 1.24

require modelwire.dev/go v0.0.0

replace modelwire.dev/go => ../../../../ffi-c/bindings/go
