module cumulet/examples/gophercloud

go 1.19

require (
	cumulet v0.1.0
	github.com/gophercloud/gophercloud v1.14.1
)

replace cumulet => ../..
