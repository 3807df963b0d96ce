/** What a child process takes over: the zone and a shifted clock (`npm run test:clock`), and the compiled sources (compileCache.ts). */
const CARRIERS = /^(?:TZ|LD_PRELOAD|NODE_COMPILE_CACHE|(?:NO_|DONT_)?FAKE.*)$/;

/** The environment for a child process: the clock of this process, the path to programs, and nothing else. */
export const sameClock = (): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => CARRIERS.test(name))),
});
