module modelwire

go 1.24
