module modelwire.dev/go

go 1.24
