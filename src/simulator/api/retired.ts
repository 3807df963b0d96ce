import { type Answer, failure } from '../http/answer.ts';

const INSTALLATIONS = 'GET /iot/v2/equipment/installations';
const FEATURES = 'GET /iot/v2/features/installations/{installationId}/gateways/{gatewaySerial}/devices/{deviceId}/features';

/** The answer for a path of v1 after its end, as the live service gave it; undefined for any other path. */
export const goneAnswer = (path: string): Answer | undefined =>
  path.startsWith('/iot/v1/')
    ? failure(410, 'GONE', 'This endpoint has been deprecated and is no longer available. Please use the replacement.', {
        extendedPayload: path.includes('/features')
          ? { sunsetDate: '2025-10-31T12:00:00.000Z', replacement: FEATURES }
          : { sunsetDate: '2025-12-15T12:00:00.000Z', replacement: INSTALLATIONS },
      })
    : undefined;
