import { SCHEMA } from '../../config/schema.ts';
import type { Settings } from '../../config/settings.ts';
import type { StoredTokens } from '../../platform/auth/tokens.ts';

/** The installation of the device that the examples show (`DEVICE_EXAMPLE`). */
const EXAMPLE_INSTALLATION = '123456';

const TO_WRITE = {
  base_url: 'write the address of your platform',
  auth_url: "write the address of your platform's identity service",
  client_id: 'register a client with the platform and write its id',
} as const;

const isKey = (key: string): key is keyof typeof TO_WRITE => Object.hasOwn(TO_WRITE, key);

/** The settings that are still those of the example, each with what to write instead. */
export const placeholdersIn = ({ platform, devices, choices = [] }: Settings): readonly string[] => {
  const ofPlatform = Object.keys(TO_WRITE)
    .filter(isKey)
    .filter((key) => platform[key] === SCHEMA.platform[key].example)
    .map((key) => `platform.${key} is still the example's ${platform[key]}: ${TO_WRITE[key]}`);
  const isExample = [...devices, ...choices].some(({ installation }) => installation === EXAMPLE_INSTALLATION);
  const found = "`heating2mqtt check --devices` prints them with platform.profile: v2; else your platform's own pages show them";
  const ofDevices = `devices: the installation is still the example's ${EXAMPLE_INSTALLATION}: write your own installation, gateway and device (${found})`;
  return isExample ? [...ofPlatform, ofDevices] : ofPlatform;
};

/** The sentence for a login that was made for another client: the platform would refuse every renewal. Older logins name no client. */
export const otherClient = (tokens: StoredTokens | undefined, { platform }: Pick<Settings, 'platform'>): string | undefined => {
  const { client_id: before } = tokens ?? {};
  if (before === undefined || before === platform.client_id) return undefined;
  return `it was made for the client ${before}, but platform.client_id is ${platform.client_id}, which cannot renew it: write ${before} there, or run \`heating2mqtt login\` for the other client`;
};
