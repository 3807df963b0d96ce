/** The first set-up, and the form for the one-time code. */
export const SetupPage = () => (
  <main id="content">
    <h1>heating2mqtt</h1>
  </main>
);
