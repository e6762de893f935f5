// What the administrator does with the pods of the preset six-pods while a tenant uses the centre.
import { signIn, type Ask } from '../suites/administrator.ts';

interface Pod {
  readonly pod_id: string;
  readonly region_name: string;
}

/** The regions of the pods in which the tenant's servers can be. */
export const podRegions = ['Pod1', 'Pod2', 'Pod3'];

export interface Pods {
  /** Sends a request as the administrator. */
  readonly admin: Ask;
  changePod(region: string, pod: object): Promise<void>;
  /** Makes the pod exhausted as soon as one vCPU is in use there. */
  exhaust(region: string): Promise<void>;
  /** The names of the servers in a pod, of all projects, sorted. */
  serversIn(region: string): Promise<readonly string[]>;
  /** The tenants' networks in a pod. */
  networksIn(region: string): Promise<readonly object[]>;
}

/** Signs in to the cloud at this address. */
export async function administerPods(origin: string): Promise<Pods> {
  const admin = await signIn(origin);
  const prefixOf = (region: string): string => (region === 'Pod1' ? '' : `/${region}`);

  const changePod = async (region: string, pod: object): Promise<void> => {
    const { pods } = await admin<{ pods: Pod[] }>('GET', '/tricircle/v1.0/pods');
    const { pod_id } = pods.find(({ region_name }) => region_name === region)!;
    await admin('PUT', `/tricircle/v1.0/pods/${pod_id}`, { pod });
  };

  return {
    admin,
    changePod,
    exhaust: async (region) => {
      await changePod(region, { threshold_percent: 1 });
      await admin('POST', '/tricircle/v1.0/usages', { usage: {} });
    },
    serversIn: async (region) => {
      const path = `${prefixOf(region)}/compute/v2.1/servers?all_tenants=1`;
      const { servers } = await admin<{ servers: { name: string }[] }>('GET', path);
      return servers.map(({ name }) => name).toSorted();
    },
    networksIn: async (region) => {
      const path = '/network/v2.0/networks?router:external=false&shared=false';
      const reply = await admin<{ networks: object[] }>('GET', prefixOf(region) + path);
      return reply.networks;
    },
  };
}
