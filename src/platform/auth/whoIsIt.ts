import { PlatformClient } from '../client.ts';
import { isRecord, textOf } from '../json.ts';
import type { PathTemplates } from '../paths.ts';

type Asked = { readonly baseUrl: string; readonly paths: PathTemplates; readonly timeoutMs: number; readonly onCall?: () => void };

const loginIdOf = (body: unknown): string | undefined => {
  const record = isRecord(body) && isRecord(body.data) ? body.data : body;
  const loginId = isRecord(record) && isRecord(record.properties) ? textOf(record.properties, 'loginId') : undefined;
  // A mail address has at most 254 characters; what is longer, or would write over the terminal, tells nobody from another.
  return loginId !== undefined && loginId.length <= 320 && !/\p{Cc}/u.test(loginId) ? loginId : undefined;
};

/** Asks the platform whose token this is; undefined where it does not say. Throws PlatformError. */
export const whoIsIt = async (asked: Asked, accessToken: string): Promise<string | undefined> => {
  const client = new PlatformClient({
    ...asked,
    tokens: { accessToken: async () => accessToken, renew: async () => accessToken },
    log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
  });
  try {
    return loginIdOf(await client.identity());
  } finally {
    await client.close();
  }
};
