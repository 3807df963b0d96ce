/** What a person does with the login page of the simulated platform; gives the address to which the browser is sent. */
export const logInAt = async (address: string, action = 'allow'): Promise<string> => {
  const body = new URLSearchParams({ username: 'someone', password: 'secret', action });
  const answer = await fetch(address, { method: 'POST', body, redirect: 'manual' });
  return answer.headers.get('location') ?? '';
};
