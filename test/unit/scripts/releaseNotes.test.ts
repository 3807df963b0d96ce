import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readProjectFile } from '../../../scripts/docs.ts';
import { disagreements, type Named, sectionsOf } from '../../../scripts/releaseNotes.ts';

const versionIn = (file: string): string => String(JSON.parse(readProjectFile(file) ?? '{}').version);

test('tag, package.json, package-lock.json, the app and the CHANGELOG name one version', () => {
  const { GITHUB_REF_TYPE: kind, GITHUB_REF_NAME: name } = process.env;
  expect(
    disagreements({
      tag: kind === 'tag' ? name : undefined,
      packageVersion: versionIn('package.json'),
      lockVersion: versionIn('package-lock.json'),
      appVersion: String(parse(readProjectFile('app/config.yaml') ?? '{}').version),
      changelog: readProjectFile('CHANGELOG.md') ?? '',
    }),
  ).toEqual([]);
});

const FIRST = '# Changelog\n\n## Unreleased\n\n- new\n';
const RELEASED = '# Changelog\n\n## 1.1.0 (2026-12-01)\n\n- b\n- c\n\n## 1.0.0 (2026-11-01)\n\n- a\n';
const DEVELOPED = RELEASED.replace('## 1.1.0', '## Unreleased\n\n- d\n\n## 1.1.0');

const NAMED: Named = { packageVersion: '1.1.0', lockVersion: '1.1.0', appVersion: '1.1.0', changelog: RELEASED };

describe('versions', () => {
  test.each<[what: string, change: Partial<Named>]>([
    ['a release', { tag: 'v1.1.0' }],
    ['a release, whose images are not there yet', { tag: 'v1.1.0', appVersion: '1.0.0' }],
    [
      'a release after a candidate',
      { tag: 'v1.1.0', appVersion: '1.0.0', changelog: RELEASED.replace('## 1.0.0', '## 1.1.0-rc.1\n\n## 1.0.0') },
    ],
    ['a commit after a release', { changelog: DEVELOPED }],
    ['before the first release', { changelog: FIRST }],
  ])('agree: %s', (_, change) => expect(disagreements({ ...NAMED, ...change })).toEqual([]));

  test.each<[what: string, change: Partial<Named>, sentence: string]>([
    ['another tag', { tag: 'v1.2.0' }, 'the tag is v1.2.0'],
    ['a tag without v', { tag: '1.1.0' }, 'the tag is 1.1.0'],
    ['a tag without its section', { tag: 'v1.1.0', changelog: DEVELOPED }, 'a section of its own'],
    ['a new version without its section', { packageVersion: '1.2.0', lockVersion: '1.2.0' }, 'CHANGELOG.md is 1.1.0'],
    ['an old lockfile', { lockVersion: '1.0.0' }, 'package-lock.json has 1.0.0'],
    ['an app that is ahead', { appVersion: '1.2.0' }, 'app/config.yaml has 1.2.0, and may have 1.1.0 or 1.0.0'],
    ['an app that was forgotten for two releases', { appVersion: '0.9.0' }, 'app/config.yaml has 0.9.0'],
    ['an app without a version', { appVersion: 'undefined' }, 'app/config.yaml has undefined'],
    ['an app before the first release', { changelog: FIRST, appVersion: '1.0.0' }, 'and may have 1.1.0'],
  ])('do not agree: %s', (_, change, sentence) => {
    expect(disagreements({ ...NAMED, ...change }).join('\n')).toContain(sentence);
  });
});

test('the notes of a release are its section of the CHANGELOG', () => {
  expect(sectionsOf(DEVELOPED)).toEqual([
    { version: 'Unreleased', text: '- d' },
    { version: '1.1.0', text: '- b\n- c' },
    { version: '1.0.0', text: '- a' },
  ]);
});
