import type { Calls } from '../control/calls.ts';
import type { Faults } from '../control/faults.ts';
import type { House } from '../home/house.ts';
import type { Site } from '../home/site.ts';
import { type Answer, failure, type Request } from '../http/answer.ts';
import { route } from '../http/routes.ts';
import { refuseBearer } from './bearer.ts';
import { equipment } from './equipment.ts';
import { history } from './history.ts';
import { authorize, type Client, token } from './identity.ts';
import { listing } from './listing.ts';
import { goneAnswer } from './retired.ts';
import type { Tokens } from './tokens.ts';
import { user } from './user.ts';

/** All that the simulated platform is made of. `now` gives epoch ms. */
export type Platform = Site & {
  /** The first of the houses. */
  readonly house: House;
  readonly tokens: Tokens;
  readonly faults: Faults;
  readonly calls: Calls;
  client: Client;
  readonly now: () => number;
};

const refuse = (request: Request, scope: 'IoT' | 'User', platform: Platform): Answer | undefined =>
  refuseBearer(request.authorization, scope, platform.tokens);

const gone = (request: Request, { manner }: Platform): Answer | undefined => (manner.v1Retired ? goneAnswer(request.path) : undefined);

const unknown = (request: Request): Answer => failure(404, 'ENDPOINT_NOT_FOUND', `There is nothing at ${request.path}.`);

/** What the platform answers when nothing is wrong with it. */
export const respond = (request: Request, platform: Platform): Answer => {
  const { house, tokens, client, now } = platform;
  const target = route(request.path);
  switch (target.to) {
    case 'authorize':
      return authorize(request, client, tokens);
    case 'token':
      return token(request, client, tokens);
    case 'user':
      return refuse(request, 'User', platform) ?? user(request, house.home.user);
    case 'equipment':
      return refuse(request, 'IoT', platform) ?? gone(request, platform) ?? equipment(request, target.place, platform, now());
    case 'listing':
      return refuse(request, 'IoT', platform) ?? listing(request, target.place, platform);
    case 'events':
      return refuse(request, 'IoT', platform) ?? history(request, target.installation, platform, now());
    case 'unknown':
      return (target.api ? refuse(request, 'IoT', platform) : undefined) ?? gone(request, platform) ?? unknown(request);
    case 'control':
    case 'calls':
      return unknown(request);
    default:
      return target satisfies never;
  }
};
