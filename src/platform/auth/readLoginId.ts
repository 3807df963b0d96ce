import * as z from 'zod/mini';
import { PlatformClient } from '../client.ts';
import type { PathTemplates } from '../paths.ts';
import { inData } from '../text.ts';

type Asked = { readonly baseUrl: string; readonly paths: PathTemplates; readonly timeoutMs: number; readonly onCall?: () => void };

// A mail address has at most 254 characters. A longer text, or one with control characters, identifies no account.
const LOGIN_ID = z.string().check(z.minLength(1), z.maxLength(320), z.regex(/^\P{Cc}*$/u));
const IDENTITY = inData(z.object({ properties: z.object({ loginId: LOGIN_ID }) }));

/** The login id of the account that the token belongs to; undefined where the platform does not tell it. Throws PlatformError. */
export const readLoginId = async (asked: Asked, accessToken: string): Promise<string | undefined> => {
  const client = new PlatformClient({
    ...asked,
    tokens: { accessToken: async () => accessToken, renew: async () => accessToken },
    log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
  });
  try {
    return IDENTITY.safeParse(await client.identity()).data?.properties.loginId;
  } finally {
    await client.close();
  }
};
