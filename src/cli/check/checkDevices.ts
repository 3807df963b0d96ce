import { chooseDevices, type InventoryDevice, mergeListing, readInventory } from '../../bridge/state/deviceInventory.ts';
import type { Settings } from '../../config/settings.ts';
import { parseInstallations } from '../../features/equipment.ts';
import { CodedError, messageOf, UsageError } from '../../shared/errors.ts';
import { quotedText } from '../../shared/json.ts';
import { factsText, type Log, printable, SILENT } from '../../shared/log.ts';
import { readBeside } from '../../storage/openDatabase.ts';
import type { Io } from '../terminal/io.ts';
import { withLock } from '../withLock.ts';
import { type Ask, withPlatform } from './countedPlatform.ts';

const NOT_YET = 'The running bridge has not read the list of devices yet. Try again in a minute.';

/**
 * The devices of the account: read now (one call per list page), or from the running bridge. Throws Error
 * with a sentence.
 */
export const accountDevices = (settings: Settings, log: Log): Promise<readonly InventoryDevice[]> => {
  if (!settings.choices) return Promise.reject(new UsageError('no_list', NO_LIST));
  return withLock(settings.data_dir, { checking: true }, async (isHeld) => {
    if (isHeld) return withPlatform(settings, log, readDevices);
    const inventory = readInventory({ read: () => readBeside(settings.data_dir, 'inventory') });
    if (!inventory) throw new CodedError('not_found_yet', NOT_YET);
    return inventory.devices;
  });
};

const NO_LIST = 'platform.profile v1 has no list of devices: use v2, or set platform.paths.installations';

/** Prints the devices of the platform as YAML for the settings. */
export const listDevices = async (settings: Settings, io: Pick<Io, 'out' | 'err'>): Promise<number> => {
  if (!settings.choices) throw new UsageError('no_list', NO_LIST);
  try {
    const devices = await accountDevices(settings, { ...SILENT, warn: (facts, sentence) => io.err(`${sentence} (${factsText(facts)})`) });
    io.out(yamlOf(devices, chooseDevices(devices, settings.choices)));
    return 0;
  } catch (cause) {
    io.err(messageOf(cause));
    return 1;
  }
};

/** The devices of the account, one call per page. Throws CodedError if the answers contain no list. */
export const readDevices = async (ask: Ask): Promise<readonly InventoryDevice[]> => {
  const listing = parseInstallations(await ask((platform, beforePage) => platform.readInstallations(undefined, beforePage)));
  if (!listing) throw new CodedError('bad_list', 'The list of installations is invalid. Check platform.base_url and platform.paths.');
  return mergeListing(undefined, listing, 0, 0).devices;
};

const LONGEST_ABOUT = 200;

/** Chosen devices are active lines; devices that the settings leave out are comments. */
const yamlOf = (devices: readonly InventoryDevice[], chosen: ReturnType<typeof chooseDevices>): string => {
  if (devices.length === 0) return '# The platform lists no device for this account.';
  const lines = devices.map((found) => {
    const { installation, gateway, device, model, roles } = found;
    const name = chosen.find((one) => one.gateway === gateway && one.device === device)?.name;
    const ids = `installation: ${quotedText(installation)}, gateway: ${quotedText(gateway)}, device: ${quotedText(device)}`;
    const about = printable([model ?? '', ...roles].filter(Boolean).join(', ').replace(/\s+/g, ' ')).slice(0, LONGEST_ABOUT);
    const entry = `- { name: ${quotedText(name ?? `${gateway}-${device}`)}, ${ids}, features: ["*"] }`;
    return `  ${name === undefined ? '# ' : ''}${entry}${about && ` # ${about}`}`;
  });
  return ['devices:', ...lines].join('\n');
};
