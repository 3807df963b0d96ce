/** What the CHANGELOG says of the version in package.json, for the release at GitHub: `node scripts/releaseNotes.ts`. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What names a version. Without a tag, the commit is not a release. */
export type Named = {
  readonly tag?: string | undefined;
  readonly packageVersion: string;
  readonly lockVersion: string;
  readonly appVersion: string;
  readonly changelog: string;
};

type Section = { readonly version: string; readonly text: string };

/** The sections of a CHANGELOG, newest first. The version is `Unreleased` where it has none yet. */
export const sectionsOf = (changelog: string): readonly Section[] =>
  changelog
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [head = '', ...lines] = section.split('\n');
      return { version: /^\S+/.exec(head)?.[0] ?? '', text: lines.join('\n').trim() };
    });

/**
 * Everything that names another version than package.json does, as sentences. The app alone may still have the release before: the release
 * workflow writes its version when the images are there, since Home Assistant offers what stands on the default branch.
 */
export const disagreements = ({ tag, packageVersion, lockVersion, appVersion, changelog }: Named): readonly string[] => {
  const [newest, ...older] = sectionsOf(changelog);
  const released = [newest, ...older].flatMap((section) => (section && section.version !== 'Unreleased' ? [section.version] : []));
  const [last = packageVersion, ...past] = released;
  // A release candidate is offered to nobody.
  const before = past.find((version) => !version.includes('-'));
  const apps = [packageVersion, ...(before === undefined ? [] : [before])];
  return [
    ...(lockVersion === packageVersion ? [] : [`package-lock.json has ${lockVersion}, package.json ${packageVersion}: run npm install`]),
    ...(last === packageVersion ? [] : [`the newest release in CHANGELOG.md is ${last}, package.json has ${packageVersion}`]),
    ...(apps.includes(appVersion) ? [] : [`app/config.yaml has ${appVersion}, and may have ${apps.join(' or ')}`]),
    ...(tag === undefined || tag === `v${packageVersion}` ? [] : [`the tag is ${tag}, package.json has ${packageVersion}`]),
    ...(tag === undefined || newest?.version === packageVersion
      ? []
      : [`a release has a section of its own at the top of CHANGELOG.md: ## ${packageVersion}`]),
  ];
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const read = (file: string): string => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
  const { version } = JSON.parse(read('package.json'));
  const section = sectionsOf(read('CHANGELOG.md')).find((one) => one.version === version);
  if (!section) throw new Error(`CHANGELOG.md has no section ## ${version}`);
  console.log(section.text);
}
