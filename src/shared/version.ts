import packageFile from '../../package.json' with { type: 'json' };

/** The version of this program, from package.json. */
export const VERSION: string = packageFile.version;

const numbers = (version: string): readonly number[] => version.replace(/^\D+/u, '').split('.').map(Number);

/** What to tell the user of a Node that is too old for the `engines` of package.json; undefined where it is new enough. */
export const tooOldNode = (version: string = process.versions.node, wanted: string = packageFile.engines.node): string | undefined => {
  const [now, least] = [numbers(version), numbers(wanted)];
  const at = least.findIndex((part, index) => part !== now[index]);
  if (at < 0 || (now[at] ?? 0) > (least[at] ?? 0)) return undefined;
  return `heating2mqtt needs Node ${least.join('.')} or newer; this is Node ${version}.`;
};
