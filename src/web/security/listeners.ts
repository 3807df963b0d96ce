import { BlockList } from 'node:net';
import type { NetworkInterfaceInfo } from 'node:os';
import type { Settings } from '../../config/settings.ts';
import { SHORTEST_PASSWORD } from '../../config/validation/webChecks.ts';
import { isIn, isLoopback } from './clientAddress.ts';
import { isHashed } from './password.ts';

/** `run`: the bridge has its settings; `setup`: it has none, and the page creates them. */
export type WebMode = 'run' | 'setup';

/** How users log in: without a password, with it, or (if there is none) with a one-time code from the log. */
export type Entry = 'none' | 'password' | 'code';

/** Where the page listens; an undefined address means all addresses. */
type OpenListener = { readonly address: string | undefined; readonly entry: Entry };

export type Listeners = {
  readonly open?: OpenListener;
  /** Why the page is not served, or not where the settings say. */
  readonly warning?: string;
};

const isLocal = (address: string): boolean => address === 'localhost' || isLoopback(address);
const isAll = (address: string): boolean => address === '0.0.0.0' || address === '::';

/** Where the page may listen, by the settings: without a password, only on this machine. */
export const planListeners = (
  { listen, password, ingress }: Pick<Settings['web'], 'listen' | 'password' | 'ingress'>,
  { isContainer, mode }: { readonly isContainer: boolean; readonly mode: WebMode },
): Listeners => {
  const wanted = listen ?? (isContainer ? '0.0.0.0' : '127.0.0.1');
  // Including IPv6 if the machine has it.
  const address = isAll(wanted) ? undefined : wanted;
  const isStrong = password !== undefined && (isHashed(password) || password.length >= SHORTEST_PASSWORD);
  if (isLocal(wanted)) return { open: { address: wanted, entry: password === undefined ? 'none' : 'password' } };
  if (isStrong) return { open: { address, entry: 'password' } };
  // Users come through Home Assistant; only the container's own `check --health` uses this.
  if (isContainer && listen === undefined && password === undefined && ingress !== undefined)
    return { open: { address: '127.0.0.1', entry: 'none' } };
  if (mode === 'setup' && password === undefined) return { open: { address, entry: 'code' } };
  const what = password === undefined ? 'needs web.password' : `needs a web.password of ${SHORTEST_PASSWORD} characters or more`;
  // Nothing outside a container can reach its 127.0.0.1.
  if (isContainer) return { warning: `in a container the page ${what}; it is not served` };
  const entry = password === undefined ? 'none' : 'password';
  return { open: { address: '127.0.0.1', entry }, warning: `web.listen ${listen} ${what}; the page is served only on 127.0.0.1` };
};

/** The network of the Supervisor of Home Assistant and its add-ons. */
const SUPERVISOR_NETWORK = new BlockList();
SUPERVISOR_NETWORK.addSubnet('172.30.32.0', 23);

/** The address of this machine for the Supervisor; undefined if there is none. */
export const ingressAddress = (
  interfaces: Readonly<Record<string, readonly Pick<NetworkInterfaceInfo, 'address'>[] | undefined>>,
): string | undefined =>
  Object.values(interfaces)
    .flatMap((all) => all ?? [])
    .find(({ address }) => isIn(SUPERVISOR_NETWORK, address))?.address;
