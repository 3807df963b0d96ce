// Loaded before a process of the bridge (`node --import`): there the name of the Supervisor leads to the false one of the test, as it leads to
// the real one in an app of Home Assistant.
import { Socket } from 'node:net';

const { connect } = Socket.prototype;

type Place = { host?: string; port?: number };

const placeIn = (argument: unknown): Place | undefined => {
  // `net.connect` gives its arguments to the socket as one list.
  const first: unknown = Array.isArray(argument) ? argument[0] : argument;
  return typeof first === 'object' && first !== null ? first : undefined;
};

Socket.prototype.connect = function (this: Socket, ...args: readonly unknown[]): Socket {
  const place = placeIn(args[0]);
  if (place?.host === 'supervisor' && place.port === 80)
    Object.assign(place, { host: '127.0.0.1', port: Number(process.env['FALSE_SUPERVISOR_PORT']) });
  return Reflect.apply(connect, this, args);
};
