// Stands in for the main of a target's server until it is here.
int main() { return 1; }
