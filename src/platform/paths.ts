/** Where each thing is asked for, relative to `auth_url` (authorize, token) or `base_url` (the others); `{name}` stands for an id. */
export type PathTemplates = {
  readonly authorize: string;
  readonly token: string;
  readonly identity: string;
  readonly deviceFeatures: string;
  readonly feature: string;
  readonly command: string;
};

const DEVICE = '/iot/v1/equipment/installations/{installation}/gateways/{gateway}/devices/{device}';

/** Profile `v1`: the paths of the specification; the list of a device's features and the command as clients of its time asked for them. */
export const V1_PATHS: PathTemplates = {
  authorize: '/idp/v2/authorize',
  token: '/idp/v2/token',
  identity: '/users/v1/users/me?sections=identity',
  deviceFeatures: `${DEVICE}/features`,
  feature: `${DEVICE}/features/{feature}`,
  command: `${DEVICE}/features/{feature}/commands/{command}`,
};

/** The template with every `{name}` replaced by its percent-encoded id, so that no id can leave its place; throws where an id is missing. */
export const fillPath = (template: string, ids: Readonly<Record<string, string | undefined>>): string =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name];
    if (id === undefined) throw new TypeError(`The path ${template} needs an id for ${name}.`);
    // A lone `.` or `..` would be taken for a step in the path, percent-encoded or not.
    if (/^\.{0,2}$/.test(id)) throw new TypeError(`${JSON.stringify(id)} cannot be a ${name}.`);
    return encodeURIComponent(id);
  });
