module bench

go 1.24

require modelwire v0.0.0

replace modelwire => ../../../../ffi-c/bindings/go
