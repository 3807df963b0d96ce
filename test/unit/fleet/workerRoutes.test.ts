import { expect, test } from 'vitest';
import { workerRoutes } from '../../../src/cli/fleet/worker.ts';
import type { Route, WebRequest } from '../../../src/web/routes.ts';

const done = { status: 200 };
const routes = workerRoutes(
  (
    [
      ['GET', 'api/settings', 200],
      ['POST', 'api/settings', 409],
      ['POST', 'api/setup', 409],
      ['POST', 'api/setup/finish', 409],
      ['GET', 'api/backup', 409],
      ['POST', 'api/backup/restore', 409],
      ['POST', 'api/account/login', 200],
    ] as const
  ).map(([method, path, status]): Route & { readonly wanted: number } => ({
    ...{ method, path, access: 'session', wanted: status },
    handle: () => done,
  })),
);

test.each(routes.map((route) => [route.method, route.path, route] as const))(
  'the page of a worker: %s %s',
  async (_method, _path, route) => {
    const { status } = await route.handle({} as WebRequest);
    expect(status).toBe((route as Route & { readonly wanted: number }).wanted);
  },
);
