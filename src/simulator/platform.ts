import { type Answer, failure, type Request } from './answer.ts';
import { refuseBearer } from './bearer.ts';
import type { Calls } from './calls.ts';
import { equipment, type Manner } from './equipment.ts';
import type { Faults } from './faults.ts';
import type { House } from './house.ts';
import { authorize, type Client, token } from './identity.ts';
import { listing } from './listing.ts';
import { goneAnswer } from './retired.ts';
import { route } from './routes.ts';
import type { Tokens } from './tokens.ts';
import { user } from './user.ts';

/** All that the simulated platform is made of. `now` gives epoch ms. */
export type Platform = {
  readonly house: House;
  readonly tokens: Tokens;
  readonly faults: Faults;
  readonly calls: Calls;
  readonly manner: Manner;
  client: Client;
  readonly now: () => number;
};

const refuse = (request: Request, scope: 'IoT' | 'User', platform: Platform): Answer | undefined =>
  refuseBearer(request.authorization, scope, platform.tokens);

const unknown = (request: Request): Answer => failure(404, 'NOT_FOUND', `There is nothing at ${request.path}.`);

/** What the platform answers when nothing is wrong with it. */
export const respond = (request: Request, platform: Platform): Answer => {
  const { house, tokens, manner, client, now } = platform;
  const target = route(request.path);
  switch (target.to) {
    case 'authorize':
      return authorize(request, client, tokens);
    case 'token':
      return token(request, client, tokens);
    case 'user':
      return refuse(request, 'User', platform) ?? user(request, house.home.user);
    case 'equipment': {
      const refusal = refuse(request, 'IoT', platform) ?? (manner.v1Retired ? goneAnswer(request.path) : undefined);
      if (refusal) return refusal;
      house.advance(now());
      return equipment(request, target.place, house, manner, now());
    }
    case 'listing':
      return refuse(request, 'IoT', platform) ?? listing(request, target, house);
    case 'unknown':
      return (target.api ? refuse(request, 'IoT', platform) : undefined) ?? unknown(request);
    case 'control':
    case 'calls':
      return unknown(request);
    default:
      return target satisfies never;
  }
};
