import { globSync, readFileSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { APP_VALUES } from '../../../src/config/homeAssistantApp.ts';
import { LEAVES } from '../../../src/config/schema.ts';

const ROOT = join(import.meta.dirname, '../../..');
const APP = join(ROOT, 'app');
const yaml = (file: string): unknown => parse(readFileSync(join(ROOT, file), 'utf8'));
const text = z.string().min(1);

/** The types of an option that the Supervisor knows. */
const TYPE =
  /^(?:bool|email|url|port|(?:str|password|int|float)(?:\(-?\d*\.?\d*,-?\d*\.?\d*\))?|match\(.+\)|list\([^|()]+(?:\|[^|()]+)*\))\??$/;
const Type = z.string().regex(TYPE);

// The Supervisor drops keys that it does not know in silence, so that a slip would not be seen. Keys that are left out here on purpose:
// those that open the machine (host_network, full_access, hassio_api …), those that are obsolete, and defaults.
const Config = z.strictObject({
  name: text,
  version: z.string().regex(/^\d+\.\d+\.\d+(?:-[\w.]+)?$/),
  slug: z.string().regex(/^[-_.A-Za-z0-9]+$/),
  description: text.max(120),
  url: z.url(),
  // Without {arch}: one image for both.
  image: z.string().regex(/^ghcr\.io\/[a-z0-9-]+\/[a-z0-9-]+$/),
  arch: z.tuple([z.literal('aarch64'), z.literal('amd64')]),
  homeassistant: z.string().regex(/^\d{4}\.\d+\.\d+$/),
  startup: z.literal('services'),
  boot: z.literal('auto'),
  // The form that the Supervisor takes; the port is its default for ingress, which is mapped nowhere and so never switched off.
  watchdog: z.literal('http://[HOST]:[PORT:8099]/health'),
  services: z.tuple([z.literal('mqtt:want')]),
  ingress: z.literal(true),
  panel_icon: z.string().regex(/^mdi:[a-z-]+$/),
  ports: z.strictObject({ '8427/tcp': z.null() }),
  homeassistant_api: z.literal(true),
  map: z.tuple([z.strictObject({ type: z.literal('app_config') })]),
  options: z.record(z.string(), z.unknown()),
  schema: z.record(z.string(), z.union([Type, z.tuple([z.record(z.string(), Type)]), z.record(z.string(), Type)])),
  breaking_versions: z.optional(z.array(text)),
});

const word = { name: text, description: text };
const Section = z.strictObject({ ...word, fields: z.optional(z.record(z.string(), z.strictObject(word))) });
const Translation = z.strictObject({ configuration: z.record(z.string(), Section), network: z.record(z.string(), text) });

const config = Config.parse(yaml('app/config.yaml'));

/** The Supervisor takes no list for optional; an empty one counts as left out. */
const LISTS = ['accounts'];

/** The options by their path: `mqtt.url` with its type. */
const options = Object.entries(config.schema).flatMap(([section, fields]) =>
  typeof fields === 'object' && !Array.isArray(fields)
    ? Object.entries(fields).map(([key, type]) => [`${section}.${key}`, type] as const)
    : [[section, Array.isArray(fields) ? 'list?' : String(fields)] as const],
);

describe('the app for Home Assistant', () => {
  it('has the address of the package', () => {
    const { repository } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(`git+${config.url}.git`).toBe(repository.url);
    expect(config.image).toBe(`${config.url.replace('https://github.com', 'ghcr.io')}-app`);
  });

  it('is reached where the bridge listens, by a port that is mapped nowhere', () => {
    // The Supervisor's default, as config.yaml names none.
    expect(APP_VALUES.web.ingress).toBe(8099);
    expect(Object.keys(config.ports)).toEqual([`${LEAVES.find(({ key }) => key === 'web.port')?.setting.default}/tcp`]);
  });

  it.each(options)('%s is a setting of the bridge, and optional', (path, type) => {
    const leaf = LEAVES.find(({ key }) => key === path);
    expect(leaf, path).toBeDefined();
    expect(type.endsWith('?')).toBe(true);
    expect(type.startsWith('password')).toBe(leaf?.setting.sensitive === true);
    const choices = /^list\((.*)\)\?$/.exec(type)?.[1]?.split('|');
    expect(choices).toEqual(leaf?.setting.choices);
  });

  it('names each section of options, which the Supervisor never takes for optional, and no default', () => {
    const sections = Object.entries(config.schema).filter(([, schema]) => typeof schema !== 'string');
    expect(config.options).toEqual(Object.fromEntries(sections.map(([section]) => [section, LISTS.includes(section) ? [] : {}])));
  });

  it.each(['en', 'de'])('says every option in %s', (language) => {
    const { configuration, network } = Translation.parse(yaml(`app/translations/${language}.yaml`));
    const said = Object.entries(configuration).flatMap(([section, { fields }]) =>
      fields === undefined ? [section] : Object.keys(fields).map((key) => `${section}.${key}`),
    );
    expect(said).toEqual(options.map(([path]) => path));
    expect(Object.keys(network)).toEqual(Object.keys(config.ports));
  });

  it('is offered by a repository with a name', () => {
    expect(yaml('repository.yaml')).toEqual({ name: expect.any(String), url: config.url, maintainer: expect.any(String) });
  });

  it('is the only file of the repository that the Supervisor would take for an app', () => {
    // What git leaves out is not there for the Supervisor.
    const exclude = ['node_modules/**', 'dist/**', 'rootfs/**'];
    expect(globSync('**/config.{yaml,yml,json}', { cwd: ROOT, exclude })).toEqual(['app/config.yaml']);
  });

  it('shows what has changed, the same text as the project', () => {
    const real = realpathSync(join(APP, 'CHANGELOG.md'));
    expect(real).toBe(realpathSync(join(ROOT, 'CHANGELOG.md')));
    expect(real.startsWith(realpathSync(ROOT) + sep)).toBe(true);
  });

  it('explains each of its options', () => {
    const docs = readFileSync(join(APP, 'DOCS.md'), 'utf8');
    for (const [path] of options) expect(docs).toContain(`\`${path}\``);
    expect(readFileSync(join(APP, 'README.md'), 'utf8')).toContain('Home Assistant');
  });

  it.each([
    ['icon.png', 128, 128],
    ['logo.png', 250, 100],
  ])('has its %s, of %i × %i, and the drawing that it is made from', (file, width, height) => {
    const png = readFileSync(join(APP, file));
    expect(png.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([width, height]);
    expect(readFileSync(join(APP, file.replace('.png', '.svg')), 'utf8')).toContain(`width="${width}" height="${height}"`);
  });
});

// AppArmor's parser reads it in test/release/linux.test.ts.
describe('the AppArmor profile', () => {
  const profile = readFileSync(join(APP, 'apparmor.txt'), 'utf8');

  it('has one profile, with the name of the app: the Supervisor puts another in its place', () => {
    const heads = profile.split('\n').filter((line) => line.startsWith('profile '));
    expect(heads).toEqual([expect.stringMatching(`^profile ${config.slug} flags=`)]);
  });

  it('lets the bridge write its data alone, start its own program alone, and gives it no capability', () => {
    const rules = profile.split('\n').map((line) => line.trim());
    const withRight = (letters: string): readonly string[] =>
      rules.flatMap((line) => new RegExp(`^([@/]\\S+) \\w*[${letters}]\\w*,$`).exec(line)?.[1] ?? []);
    expect(withRight('wl')).toEqual(['/data/**', '/tmp/**', '/dev/tty', '/dev/pts/*']);
    expect(withRight('x')).toEqual(['/{usr/,}{sbin,bin}/docker-init', '/dev/init', '/usr/local/bin/node']);
    expect(rules.filter((line) => /^(?:capability|mount|ptrace|file,|change_profile)/.test(line))).toEqual([]);
  });
});
