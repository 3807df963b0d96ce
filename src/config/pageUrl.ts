import type { Settings } from './settings.ts';

/** The address of the page at this host (name or IP address) and port, with the base path. */
export const pageUrl = (host: string, port: number, { base_path = '' }: Pick<Settings['web'], 'base_path'>): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}${base_path.replace(/\/*$/, '/')}`;
