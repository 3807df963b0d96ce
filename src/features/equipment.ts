import { isRecord } from '../shared/json.ts';
import { knownZone } from './timeZone.ts';

/** A device as the platform lists it. */
export type FoundDevice = {
  readonly installation: string;
  readonly gateway: string;
  readonly device: string;
  readonly model?: string;
  readonly type?: string;
  readonly roles: readonly string[];
  /** Of the installation, where the list tells one that is known. */
  readonly timeZone?: string;
};

/** `complete` is false where a part of the list made no sense: what is not in it may be there all the same. */
export type Listing = { readonly devices: readonly FoundDevice[]; readonly complete: boolean };

// Gateways of this type answer no features (reference of the platform, discovery).
const WITHOUT_FEATURES = 'Lancard';

/** The devices in all pages of the list of installations; undefined where a page is no list at all. */
export const parseInstallations = (pages: readonly unknown[]): Listing | undefined => {
  const found = new Map<string, FoundDevice>();
  const broken: unknown[] = [];
  for (const page of pages) {
    const installations = isRecord(page) ? page.data : undefined;
    if (!Array.isArray(installations)) return undefined;
    for (const [installation, gateway, device] of devicesIn(installations, broken)) {
      const { id, modelId: model, deviceType: type } = device;
      const timeZone = zoneOf(installation);
      const record = readFound({ ...device, installation: installation.id, gateway, device: id, model, type, timeZone });
      if (record) found.set(JSON.stringify([record.gateway, record.device]), record);
      else broken.push(device);
    }
  }
  return { devices: [...found.values()], complete: broken.length === 0 };
};

/** A device as it was kept; undefined where it makes no sense. */
export const readFound = (raw: unknown): FoundDevice | undefined => {
  if (!isRecord(raw)) return undefined;
  const [installation, gateway, device] = [raw.installation, raw.gateway, raw.device].map(idOf);
  if (installation === undefined || gateway === undefined || device === undefined) return undefined;
  const { model, type, roles } = raw;
  const timeZone = knownZone(raw.timeZone);
  return {
    installation,
    gateway,
    device,
    ...(typeof model === 'string' && model !== '' ? { model } : {}),
    ...(typeof type === 'string' && type !== '' ? { type } : {}),
    roles: Array.isArray(roles) ? roles.filter((role) => typeof role === 'string') : [],
    ...(timeZone === undefined ? {} : { timeZone }),
  };
};

type Raw = Readonly<Record<string, unknown>>;

const devicesIn = (installations: readonly unknown[], broken: unknown[]): readonly (readonly [Raw, unknown, Raw])[] =>
  recordsIn(installations, broken).flatMap((installation) =>
    recordsIn(installation.gateways, broken)
      .filter(({ gatewayType }) => gatewayType !== WITHOUT_FEATURES)
      .flatMap((gateway) => recordsIn(gateway.devices, broken).map((device) => [installation, gateway.serial, device] as const)),
  );

const zoneOf = ({ address }: Raw): unknown =>
  isRecord(address) && isRecord(address.geolocation) ? address.geolocation.timeZone : undefined;

/** The objects of a list; what is none of them, or no list, is told in `broken`. An installation without gateways may lack the list. */
const recordsIn = (list: unknown, broken: unknown[]): readonly Raw[] => {
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) {
    broken.push(list);
    return [];
  }
  const records = list.filter(isRecord);
  if (records.length < list.length) broken.push(list);
  return records;
};

// What would be a step in a path can be no id.
const idOf = (value: unknown): string | undefined => {
  // Half a character cannot be percent-encoded.
  if (typeof value === 'string') return /^\.{0,2}$/.test(value) || !value.isWellFormed() ? undefined : value;
  return Number.isSafeInteger(value) ? String(value) : undefined;
};
