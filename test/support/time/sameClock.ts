/** What carries the clock to a child process: its zone, and a clock that is shifted (`npm run test:clock`). */
const CARRIERS = /^(?:TZ|LD_PRELOAD|(?:NO_|DONT_)?FAKE.*)$/;

/** The environment for a child process that shall have nothing of this one's but the clock and the path to programs. */
export const sameClock = (): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => CARRIERS.test(name))),
});
