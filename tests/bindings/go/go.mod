module scenarios

go 1.24
