import * as z from 'zod/mini';
import { isZone } from '../shared/timeZone.ts';
import { isName } from './parseFeature.ts';

const ID = z.pipe(z.union([z.string().check(z.refine(isName)), z.int()]), z.transform(String));
const TEXT = z.catch(z.optional(z.string().check(z.minLength(1))), undefined);
const ANYTHING = z.optional(z.unknown());

/** A device as it is listed and stored. */
export const FOUND_DEVICE = z.object({
  installation: ID,
  gateway: ID,
  device: ID,
  model: TEXT,
  type: TEXT,
  roles: z.pipe(
    z.catch(z.array(z.unknown()), []),
    z.transform((roles): readonly string[] => roles.filter((role) => typeof role === 'string')),
  ),
  /** The time zone of the installation, if the list has a known zone. */
  timeZone: z.catch(z.optional(z.string().check(z.refine(isZone))), undefined),
  /** The user's name of the installation. */
  description: TEXT,
});

/** A device in the platform's list. */
export type FoundDevice = Readonly<z.infer<typeof FOUND_DEVICE>>;

const PAGE = z.object({ data: z.array(z.unknown()) });
const ADDRESS = z.object({ geolocation: z.object({ timeZone: ANYTHING }) });
const INSTALLATION = z.object({
  id: ANYTHING,
  description: ANYTHING,
  address: z.catch(z.optional(ADDRESS), undefined),
  gateways: ANYTHING,
});
const GATEWAY = z.object({ serial: ANYTHING, gatewayType: ANYTHING, devices: ANYTHING });
const LISTED = z.object({ id: ANYTHING, modelId: ANYTHING, deviceType: ANYTHING, roles: ANYTHING });

/** `complete` is false if a part of the list was invalid: a missing device may still exist. */
export type Listing = { readonly devices: readonly FoundDevice[]; readonly complete: boolean };

// Gateways of this type return no features (platform reference, discovery).
const WITHOUT_FEATURES = 'Lancard';

/** The devices in all pages of the installation list; undefined if a page is not a list. */
export const parseInstallations = (pages: readonly unknown[]): Listing | undefined => {
  const found = new Map<string, FoundDevice>();
  const broken: unknown[] = [];
  for (const page of pages) {
    const installations = PAGE.safeParse(page).data?.data;
    if (!installations) return undefined;
    for (const device of devicesIn(installations, broken)) {
      const record = FOUND_DEVICE.safeParse(device).data;
      if (record) found.set(JSON.stringify([record.gateway, record.device]), record);
      else broken.push(device);
    }
  }
  return { devices: [...found.values()], complete: broken.length === 0 };
};

const devicesIn = (installations: readonly unknown[], broken: unknown[]): readonly object[] =>
  itemsOf(INSTALLATION, installations, broken).flatMap(({ id: installation, description, address, gateways }) =>
    itemsOf(GATEWAY, gateways, broken)
      .filter(({ gatewayType }) => gatewayType !== WITHOUT_FEATURES)
      .flatMap(({ serial: gateway, devices }) =>
        itemsOf(LISTED, devices, broken).map(({ id: device, modelId: model, deviceType: type, roles }) => ({
          ...{ installation, gateway, device, model, type, roles },
          timeZone: address?.geolocation.timeZone,
          description,
        })),
      ),
  );

/** The valid items of a list. Invalid items or a non-list go to `broken`; a missing list is empty. */
const itemsOf = <T>(schema: z.ZodMiniType<T>, list: unknown, broken: unknown[]): readonly T[] => {
  const items = z.nullish(z.array(z.unknown())).safeParse(list);
  if (!items.success) broken.push(list);
  return (items.data ?? []).flatMap((item) => {
    const { data } = schema.safeParse(item);
    if (data === undefined) broken.push(item);
    return data ?? [];
  });
};
