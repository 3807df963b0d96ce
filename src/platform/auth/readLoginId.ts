import * as z from 'zod/mini';
import { SILENT } from '../../shared/log.ts';
import { platformClient } from '../client.ts';
import { pathsOf } from '../paths.ts';
import { inData } from '../text.ts';

type Asked = Parameters<typeof pathsOf>[0] & { readonly base_url: string; readonly timeout_s: number };

// A mail address has at most 254 characters. A longer text or control characters are not valid here.
const LOGIN_ID = z.string().check(z.minLength(1), z.maxLength(320), z.regex(/^\P{Cc}*$/u));
const IDENTITY = inData(z.object({ properties: z.object({ loginId: LOGIN_ID }) }));

/** The login id of the token's account; undefined if the platform does not give it. Throws PlatformError. */
export const readLoginId = async (asked: Asked, accessToken: string, onCall: () => void): Promise<string | undefined> => {
  const client = platformClient({
    baseUrl: asked.base_url,
    paths: pathsOf(asked),
    timeoutMs: asked.timeout_s * 1000,
    onCall,
    tokens: { accessToken: async () => accessToken, renew: async () => accessToken },
    log: SILENT,
  });
  try {
    return IDENTITY.safeParse(await client.identity()).data?.properties.loginId;
  } finally {
    await client.close();
  }
};
