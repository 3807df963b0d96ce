// In the place of the package `debug`: what it is called with for each packet costs a twentieth of the CPU of a publish, and with the
// variable DEBUG set it would print packets to stderr, the password among them.
module.exports = () => () => undefined;
