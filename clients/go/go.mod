module cumulet

go 1.19
