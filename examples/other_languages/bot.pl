use strict; use warnings; use JSON::PP;
$| = 1;    # every line goes out at once

while (my $line = <STDIN>) {
    my $said = decode_json($line);
    my @actions = map { choice($_) } @{ $said->{decisions} // [] };
    print encode_json({ id => $said->{id}, actions => \@actions }), "\n";
}

sub choice {
    my ($one) = @_;
    my @legal = @{ $one->{legal} };
    return "hit" if $legal[0] eq "hit" && $one->{view}{points}[ $one->{seat} ] < 25;
    return $legal[-1];
}
