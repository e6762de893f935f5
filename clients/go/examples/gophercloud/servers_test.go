// Package gophercloud shows tests of code that uses gophercloud, against clouds of Cumulet. They
// work with gophercloud 0.12 to 1.14; README.md says what is different in 2.
package gophercloud

import (
	"errors"
	"testing"
	"time"

	"cumulet"
	"github.com/gophercloud/gophercloud"
	"github.com/gophercloud/gophercloud/openstack"
	"github.com/gophercloud/gophercloud/openstack/compute/v2/flavors"
	"github.com/gophercloud/gophercloud/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/openstack/imageservice/v2/images"
	"github.com/gophercloud/gophercloud/openstack/networking/v2/networks"
)

// signIn signs in to a cloud as its administrator.
func signIn(
	t *testing.T, cloud *cumulet.Cloud,
) (*gophercloud.ProviderClient, gophercloud.EndpointOpts) {
	t.Helper()
	credentials, err := cloud.Credentials()
	check(t, err)
	provider, err := openstack.AuthenticatedClient(gophercloud.AuthOptions{
		IdentityEndpoint: credentials.AuthURL,
		Username:         credentials.Username,
		Password:         credentials.Password,
		DomainName:       credentials.UserDomainName,
		TenantName:       credentials.ProjectName,
		AllowReauth:      true,
	})
	check(t, err)
	return provider, gophercloud.EndpointOpts{Region: credentials.RegionName}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// createServer creates a server with the first flavor, image and network of a new cloud.
func createServer(
	t *testing.T, cloud *cumulet.Cloud,
) (*gophercloud.ServiceClient, *servers.Server) {
	t.Helper()
	provider, region := signIn(t, cloud)
	compute, err := openstack.NewComputeV2(provider, region)
	check(t, err)
	image, err := openstack.NewImageServiceV2(provider, region)
	check(t, err)
	network, err := openstack.NewNetworkV2(provider, region)
	check(t, err)

	flavorPages, err := flavors.ListDetail(compute, nil).AllPages()
	check(t, err)
	allFlavors, err := flavors.ExtractFlavors(flavorPages)
	check(t, err)
	imagePages, err := images.List(image, images.ListOpts{Name: "cirros"}).AllPages()
	check(t, err)
	allImages, err := images.ExtractImages(imagePages)
	check(t, err)
	networkPages, err := networks.List(network, networks.ListOpts{Name: "private"}).AllPages()
	check(t, err)
	allNetworks, err := networks.ExtractNetworks(networkPages)
	check(t, err)

	server, err := servers.Create(compute, servers.CreateOpts{
		Name:      "web",
		FlavorRef: allFlavors[0].ID,
		ImageRef:  allImages[0].ID,
		Networks:  []servers.Network{{UUID: allNetworks[0].ID}},
	}).Extract()
	check(t, err)
	return compute, server
}

func TestServerBecomesActiveAfterItsLatency(t *testing.T) {
	cloud := cumulet.Start(t, cumulet.WithFlags("--latency", "server.create=30s"))
	compute, server := createServer(t, cloud)
	shown, err := servers.Get(compute, server.ID).Extract()
	check(t, err)
	if shown.Status != "BUILD" {
		t.Errorf("the server is %s before its latency has passed", shown.Status)
	}
	_, err = cloud.Clock.Advance(30 * time.Second)
	check(t, err)
	check(t, servers.WaitForStatus(compute, server.ID, "ACTIVE", 10))
}

func TestServerIsDeletedThoughItsReplyIsLost(t *testing.T) {
	cloud := cumulet.Start(t)
	compute, server := createServer(t, cloud)
	_, err := cloud.Faults.Add(cumulet.FaultPlan{
		Match:  cumulet.FaultMatch{Operation: "servers:delete"},
		Effect: cumulet.FaultEffect{Status: 503, When: "after"},
		Count:  1,
	})
	check(t, err)
	var unavailable gophercloud.ErrDefault503
	if err := servers.Delete(compute, server.ID).ExtractErr(); !errors.As(err, &unavailable) {
		t.Fatalf("got %v, want 503", err)
	}
	var notFound gophercloud.ErrDefault404
	if _, err := servers.Get(compute, server.ID).Extract(); !errors.As(err, &notFound) {
		t.Fatalf("got %v, want 404: the operation precedes the fault", err)
	}
	_, err = cloud.Requests.Check(cumulet.Assertion{
		Match: cumulet.JournalMatch{Operation: "servers:delete"},
		Times: cumulet.Int(1),
	})
	check(t, err)
}
