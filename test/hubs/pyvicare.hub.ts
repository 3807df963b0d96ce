import { beforeAll, describe, expect, it } from 'vitest';
import { at } from '../integration/simulator/simulatorCaller.ts';
import { installPyViCare, playScene } from './pyvicareClient.ts';

const SUCCESS = { data: { success: true, message: null, reason: null } };

/** A client of the live service that others wrote, pointed at `heating2mqtt simulate`. */
describe('PyViCare at the simulated platform', () => {
  beforeAll(installPyViCare, 600_000);

  it('logs in by browser, starts again with the stored token, and renews it when it has expired', async () => {
    expect(await playScene('browser')).toEqual({
      opened: 1,
      token: ['access_token', 'expires_at', 'expires_in', 'refresh_token', 'token_type'],
      again: 3,
      renewed: expect.any(Number),
    });
  });

  it('logs in by user and password, and finds the devices with their kinds', async () => {
    expect(await playScene('password')).toEqual({
      installations: [[111222, 1]],
      devices: [
        ['gateway', 'Demo_Gateway', 'vitoconnect', expect.arrayContaining(['type:gateway;VitoconnectOpto2/OT2']), true, 'Gateway'],
        ['0', 'Demo_HeatPump_8kW', 'heating', expect.arrayContaining(['type:heatpump']), true, 'HeatPump'],
        ['RoomControl-1', 'Demo_RoomControl', 'roomControl', ['type:virtual;smartRoomControl'], true, 'RoomControl'],
      ],
      wrong: ['PyViCareInvalidCredentialsError', ''],
      stranger: ['PyViCareInvalidCredentialsError', ''],
    });
  });

  it('takes over a login from a password', async () => {
    expect(await playScene('helper')).toEqual({ token: expect.arrayContaining(['access_token', 'refresh_token']), wrong: {} });
  });

  it('finds further gateways', async () => {
    const more = await playScene('password', '--more-gateways', '2');
    expect(more).toMatchObject({ installations: [[111222, 3]], devices: { length: 9 } });
  });

  it('reads the same by device and by gateway, one call each', async () => {
    const FEATURES = 'GET /iot/v2/features/installations/111222/gateways/7571381699991111';
    const seen = await playScene('reads');
    const device = at(seen, 'device.pump');
    expect(Object.keys(Object(device)).length).toBeGreaterThan(70);
    expect(JSON.stringify(device)).not.toContain('Error: ');
    // Disabled records are left out of a gateway's list; these two ask whether there is a record at all.
    expect(at(seen, 'gateway.pump')).toEqual({ ...Object(device), getVentilationQuickmodes: expect.any(String) });
    for (const circuit of ['0', '1']) {
      const values = Object(at(seen, `device.circuits.${circuit}`));
      expect(at(seen, `gateway.circuits.${circuit}`)).toEqual({ ...values, getPrograms: expect.any(String) });
    }
    expect(at(seen, 'gateway.rooms')).toEqual({ 0: expect.any(Number), 1: expect.any(Number) });
    expect(at(seen, 'device.calls')).toEqual({
      [`${FEATURES}/devices/0/features/`]: 1,
      [`${FEATURES}/devices/RoomControl-1/features/`]: 1,
    });
    expect(at(seen, 'gateway.calls')).toEqual({ [`${FEATURES}/features`]: 1 });
    expect(at(seen, 'wifi')).toEqual([true, expect.any(Number)]);
    expect(at(seen, 'bare')).toEqual(['heating', true]);
  });

  it.each(['writes_by_device', 'writes_by_gateway'])('%s: modes, temperatures, curve and schedules', async (scene) => {
    const refused = (reason: string) => ['PyViCareCommandError', `Command failed with status code 400. Reason given was: ${reason}`];
    expect(await playScene(scene)).toEqual({
      answers: Array.from({ length: 7 }, () => SUCCESS),
      mode: true,
      normal: 21,
      reduced: 16,
      curve: [2, 1.1],
      water: 52,
      water_mode: true,
      circulation: true,
      schedule: true,
      off_grid: refused('INVALID_PARAMETERS'),
      too_hot: refused('INVALID_PARAMETERS'),
      not_now: refused('COMMAND_NOT_FOUND'),
    });
  });

  it('understands every refusal', async () => {
    const limited = (name: string, calls: number) => [
      'PyViCareRateLimitError',
      expect.stringContaining(`API rate limit ${name} exceeded. Max ${calls} calls`),
    ];
    const broken = (words: string) => ['PyViCareInternalServerError', expect.stringContaining(words)];
    expect(await playScene('errors')).toEqual({
      rate_limited: limited('ViCare day limit', 1450),
      rate_limited_10_minutes: limited('ViCare 10 minutes limit', 120),
      rate_limited_write: limited('ViCare day limit', 1450),
      gateway_offline: ['PyViCareDeviceCommunicationError', 'Device communication error. Reason: GATEWAY_OFFLINE'],
      device_offline: ['PyViCareDeviceCommunicationError', 'Device communication error. Reason: DEVICE_OFFLINE'],
      offline_write: ['PyViCareCommandError', 'Command failed with status code 400. Reason given was: GATEWAY_OFFLINE'],
      not_paid: ['PyViCareNotPaidForError', 'Feature not available: User does not have access to given feature.'],
      not_found: ['PyViCareNotSupportedFeatureError', 'getActiveMode'],
      html502: broken('Non-JSON 502 response'),
      internal_error: broken('Internal server error'),
      timeout200: broken('TIMEOUT'),
      cut_middle: broken('IncompleteRead'),
      expired_once: 'nothing',
      large: 'nothing',
      disconnected: [false, 'PyViCareDeviceCommunicationError'],
      reboot: SUCCESS,
    });
  });
});
