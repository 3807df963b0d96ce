// Needs the add-on JavaScript Scripting.
const { items, rules, triggers } = require('openhab');

// The week is read, changed and sent as JSON: each entry keeps its mode.
rules.JSRule({
  name: 'Warm for longer on Fridays',
  triggers: [triggers.GenericCronTrigger('0 0 12 ? * FRI')],
  execute: () => {
    const week = JSON.parse(items.getItem('Heating_Entries').state);
    const last = week.fri.at(-1);
    if (!last || last.end >= '23:30') return;
    last.end = '23:30';
    items.getItem('Heating_Entries').sendCommand(JSON.stringify({ fri: week.fri }));
  },
});

// Nothing was refused yet: the sitemap shows the item where it has a text.
items.getItem('Heating_Refused').postUpdate('');

// Every answer of the heating: what was refused says what would be right.
rules.JSRule({
  name: 'Tell what the heating refused',
  triggers: [triggers.ChannelEventTrigger('mqtt:topic:home:heating:answer')],
  execute: (event) => {
    const { status, message } = JSON.parse(event.receivedEvent);
    if (status === 'accepted') return;
    const refused = status === 'rejected' || status === 'failed';
    items.getItem('Heating_Refused').postUpdate(refused ? message : '');
  },
});
