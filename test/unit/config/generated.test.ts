import { describe, expect, it, test } from 'vitest';
import { GENERATED, generatedFiles, readProjectFile, replacePart } from '../../../scripts/docs.ts';
import { exampleYaml, settingRows, shortYaml } from '../../../src/config/documentation.ts';
import { LEAVES } from '../../../src/config/schema.ts';
import { expectGolden } from '../../support/golden.ts';
import { activeExample, load, mistakes } from './loading.ts';

describe('the schema', () => {
  it.each(LEAVES)('$key has the environment variable of its name, and a meaning', ({ key, env, setting }) => {
    expect(env).toBe(`HEATING2MQTT_${key.toUpperCase().replaceAll('.', '_')}`);
    expect(setting.doc).toMatch(/^.{8,}\.$/);
  });
  it('hides passwords and nothing that is needed to understand a mistake', () => {
    expect(LEAVES.filter(({ setting }) => setting.sensitive).map(({ key }) => key)).toEqual([
      'mqtt.password',
      'calendar.addresses',
      'prices.url',
      'web.password',
      'web.metrics_token',
    ]);
  });
});

test('names, environment variables and defaults stay as people have them in their files', () => {
  const lines = settingRows().map(({ name, env, default: value }) => [name, env, value].filter((text) => text !== '').join('  '));
  expectGolden('settings.txt', `${lines.join('\n')}\n`);
});

describe('what is generated from the schema', () => {
  it.each([...new Set(GENERATED.map(({ file }) => file))])('%s is up to date (npm run docs)', (file) => {
    const parts = GENERATED.filter((part) => part.file === file);
    for (const content of generatedFiles(parts, readProjectFile).values()) expect(readProjectFile(file)).toBe(content);
  });
  it('the example file loads with every setting active, and its defaults are those in force', () => {
    const active = activeExample();
    for (const { key, path, env } of LEAVES) {
      if (!['mqtt.ca', 'mqtt.cert', 'mqtt.key'].includes(key)) expect(active, env).toMatch(new RegExp(`^ *${path.at(-1)}:`, 'm'));
    }
    const { mqtt, web, energy, gas, data_dir, devices, choices, schedules, calendar, ...rest } = load(active);
    const { mqtt: plainMqtt, web: plainWeb, data_dir: _, devices: __, choices: ___, schedules: ____, ...others } = load(exampleYaml());
    const { energy: noPrice, gas: noFactor, calendar: plainCalendar, ...plain } = others;
    expect([noPrice, noFactor]).toEqual([{}, {}]);
    const { paths, ...platform } = rest.platform;
    const addresses = { profile: 'v1', base_url: 'https://api.example.com', auth_url: 'https://iam.example.com' };
    const prices = { ...plain.prices, topic: 'evcc/site/forecast/grid', url: 'https://prices.example.com/prices.json' };
    expect({ ...rest, platform }).toEqual({ ...plain, prices, platform: { ...plain.platform, ...addresses } });
    expect(Object.keys(paths ?? {})).toHaveLength(11);
    // With a path for the list of installations devices are found.
    expect({ devices, choices }).toMatchObject({ devices: [], choices: [{ name: 'home', gateway: '7571381699991111' }] });
    expect(mqtt).toEqual({ ...plainMqtt, username: 'heating', password: 'secret', client_id: 'heating2mqtt' });
    const written = { listen: '0.0.0.0', password: 'secret', base_path: '/heating', ingress: 8099, metrics_token: 'secret' };
    expect(web).toEqual({ ...plainWeb, ...written });
    expect(energy).toEqual({ price: 0.29, gas_price: 0.11, co2: 380, gas_co2: 201 });
    expect(gas).toEqual({ calorific_value: 11.3, state_number: 0.95 });
    expect(schedules).toEqual({ time_zone: 'auto', profiles: [['summer', 'daily none']], seasons: [] });
    expect(calendar).toEqual({ ...plainCalendar, addresses: 'https://calendar.example.com/private/basic.ics' });
    expect(data_dir).toBe('/data');
  });
  it('the example file without what is required names just that', () => {
    const bare = exampleYaml().replace(/^ {2}client_id: .*$/gm, '');
    expect(
      mistakes(() => load(bare))
        .map((line) => line.replace(/^settings\.yaml(?:, line \d+)?: (\S+) .*$/, '$1'))
        .sort(),
    ).toEqual(['platform.client_id']);
  });
  it('the short file has ten lines, loads as it is, and needs nothing but a client id', () => {
    const lines = shortYaml().trimEnd().split('\n');
    expect(lines).toHaveLength(10);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(120);
    const { platform, mqtt, choices } = load(shortYaml());
    const least = load('platform: { client_id: your-client-id }');
    expect({ platform, mqtt, choices }).toEqual({ platform: least.platform, mqtt: least.mqtt, choices: [] });
    expect(mistakes(() => load(shortYaml().replace(/client_id: .*/, 'client_id:')))).toEqual([
      expect.stringMatching(/^settings\.yaml, line \d+: platform\.client_id is missing\. /),
    ]);
    const { username, password } = load(shortYaml().replaceAll('  # username', '  username').replaceAll('  # password', '  password')).mqtt;
    expect({ username, password }).toEqual({ username: 'heating', password: 'secret' });
  });
});

describe('a generated part of a file', () => {
  const file = (part: string) => `a\n<!-- x:begin -->\n${part}\n<!-- x:end -->\nb`;
  it('takes the place of the old one and nothing else', () => {
    expect(replacePart(file('old $&\nold'), 'x', 'new $1')).toBe(file('new $1'));
    expect(replacePart('<!-- x:begin --><!-- x:end -->', 'x', 'new')).toBe('<!-- x:begin -->\nnew\n<!-- x:end -->');
  });
  it.each([
    '',
    '<!-- x:begin -->',
    '<!-- x:end --><!-- x:begin -->',
    `${file('')}${file('')}`,
    '<!-- x:end --><!-- x:begin --><!-- x:end -->',
  ])('is refused in %j', (text) => {
    expect(() => replacePart(text, 'x', 'new')).toThrow('must stand in the file once each');
  });
});
