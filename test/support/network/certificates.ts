import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** An authority of our own and a certificate for 127.0.0.1 that it signed, made in this folder, with the lines for Mosquitto. */
export const makeCertificates = (
  dir: string,
): { readonly config: readonly string[]; readonly ca: string; readonly stranger: string; readonly cert: string; readonly key: string } => {
  const openssl = (...args: readonly string[]): void => void execFileSync('openssl', args, { cwd: dir, stdio: 'ignore' });
  const authority = (name: string): void =>
    openssl(...`req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=${name} -keyout ${name}.key -out ${name}.crt`.split(' '));
  authority('authority');
  authority('stranger');
  openssl(...'req -newkey rsa:2048 -nodes -subj /CN=127.0.0.1 -keyout server.key -out server.csr'.split(' '));
  writeFileSync(join(dir, 'names'), 'subjectAltName=IP:127.0.0.1\n');
  openssl(
    ...'x509 -req -in server.csr -CA authority.crt -CAkey authority.key -CAcreateserial -days 2 -extfile names -out server.crt'.split(' '),
  );
  const config = [`cafile ${dir}/authority.crt`, `certfile ${dir}/server.crt`, `keyfile ${dir}/server.key`];
  const text = (name: string): string => readFileSync(join(dir, name), 'utf8');
  return { config, ca: text('authority.crt'), stranger: text('stranger.crt'), cert: text('server.crt'), key: text('server.key') };
};
