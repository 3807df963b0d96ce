// Loaded before a process of the bridge (`node --import`). It stands in for the network of an app of Home Assistant: the name of the
// Supervisor leads to the false one of the test, and whoever comes to the port of ingress comes from the Supervisor's address.
import { Server, Socket } from 'node:net';

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

const { emit } = Server.prototype;

Server.prototype.emit = function (this: Server, event: string, ...args: readonly unknown[]): boolean {
  const [socket] = args;
  if (event === 'connection' && socket instanceof Socket && socket.localPort === Number(process.env['HEATING2MQTT_WEB_INGRESS']))
    Object.defineProperty(socket, 'remoteAddress', { value: '172.30.32.2' });
  return Reflect.apply(emit, this, [event, ...args]);
};
