import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { exampleYaml } from '../../../src/config/documentation.ts';
import { loadSettings, type Sources } from '../../../src/config/load.ts';
import { SettingsError } from '../../../src/config/validation/mistake.ts';

/** What a settings file needs at least. */
export const REQUIRED = `platform: { base_url: "https://api.test", auth_url: "https://iam.test", client_id: abc }
devices: [{ installation: 1, gateway: 2, device: 0, features: [heating.sensors.temperature.outside] }]
`;

/** A folder of its own with the given files, gone after the test. */
export const folder = (files: Readonly<Record<string, string | Uint8Array>> = {}): string => {
  const root = mkdtempSync(join(tmpdir(), 'heating2mqtt-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
  return root;
};

/** Loads `yaml` as the file settings.yaml; HOME is there, as it is for people. */
export const load = (yaml: string | Uint8Array, env: Sources['env'] = {}, files: Parameters<typeof folder>[0] = {}) =>
  loadSettings({ file: 'settings.yaml', env: { HOME: '/home/me', ...env }, cwd: folder({ 'settings.yaml': yaml, ...files }) });

/** The lines of the mistakes that loading ends with; none where it succeeds. */
export const mistakes = (act: () => unknown): readonly string[] => {
  try {
    act();
  } catch (error) {
    if (error instanceof SettingsError) return error.issues.map(({ message }) => message);
    throw error;
  }
  return [];
};

/** The example file with every setting active, but the certificates, which no test has. */
export const activeExample = (): string =>
  exampleYaml()
    .replace(/^# devices:\n#/m, 'devices:\n')
    .replace(/^( *)# ([a-z_0-9]+: .*)$/gm, (line, indent, setting) =>
      /^(?:ca|cert|key|Usage)\b/.test(setting) || / = |\. /.test(setting) ? line : `${indent}${setting}`,
    );
