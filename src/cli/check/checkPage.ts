import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Settings } from '../../config/settings.ts';
import { codeOf, messageOf } from '../../shared/errors.ts';
import { planListeners } from '../../web/security/listeners.ts';
import { isInContainer } from '../host.ts';
import type { Io } from '../terminal/io.ts';
import type { Report } from './report.ts';

/**
 * Checks that the page can be served as set: an address other than this machine's own needs a good password,
 * and the port must be free. `isHeld`: no bridge runs that would use the port.
 */
export const checkPage = async ({ web }: Settings, isHeld: boolean, io: Pick<Io, 'env'>, report: Report): Promise<boolean> => {
  if (!web.enabled) return true;
  const { open, warning } = planListeners(web, { isContainer: isInContainer(io), mode: 'run' });
  // In a container without a password the page is not served. This may be intended.
  if (warning !== undefined) return report(web.listen === undefined ? 'note' : 'FAIL', 'page', warning);
  if (!open || !isHeld) return true;
  const { port } = web;
  const server = createServer();
  try {
    server.listen({ port, ...(open.address === undefined ? {} : { host: open.address }) });
    await once(server, 'listening');
    return true;
  } catch (cause) {
    if (codeOf(cause) === 'EADDRINUSE')
      return report(
        'FAIL',
        'page',
        `port ${port} is used by another program, or by a bridge with another data_dir. Set web.port to another one`,
      );
    if (codeOf(cause) === 'EADDRNOTAVAIL')
      return report(
        'FAIL',
        'page',
        `${open.address} is not an address of this machine. Set web.listen to an address of this machine, or to 0.0.0.0`,
      );
    // A service may have the right to open a port that its user lacks.
    if (codeOf(cause) === 'EACCES')
      return report(
        'note',
        'page',
        `this user may not listen on port ${port}; start the bridge as another user, or set web.port to a port above 1023`,
      );
    return report('FAIL', 'page', messageOf(cause));
  } finally {
    server.close();
  }
};
